// The fields of custom resource definitions of apiextensions.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of custom resource definitions of apiextensions.k8s.io/v1. */
export const apiextensionsSchemas = `
CustomResourceColumnDefinition: name*#1 string, type*#2 string, format#3 string, description#4 string,
    priority#5 int, jsonPath*#6 string
CustomResourceConversion: strategy*#1 string, webhook#2 WebhookConversion
CustomResourceDefinition (object): spec*#2 CustomResourceDefinitionSpec,
    status+#3 CustomResourceDefinitionStatus
CustomResourceDefinitionCondition: type*#1 string, status*#2 string, lastTransitionTime#3 time,
    reason#4 string, message#5 string, observedGeneration#6 int64
CustomResourceDefinitionNames: plural*#1 string, singular#2 string, shortNames#3 [string], kind*#4 string,
    listKind#5 string, categories#6 [string]
CustomResourceDefinitionSpec: group*#1 string, names*#3 CustomResourceDefinitionNames, scope*#4 string,
    versions*#7 [CustomResourceDefinitionVersion], conversion#9 CustomResourceConversion,
    preserveUnknownFields#10 bool
CustomResourceDefinitionStatus: conditions+#1 [CustomResourceDefinitionCondition] map(type),
    acceptedNames+#2 CustomResourceDefinitionNames, storedVersions+#3 [string], observedGeneration#4 int64
CustomResourceDefinitionVersion: name*#1 string, served*#2 bool, storage*#3 bool, deprecated#7@3 bool,
    deprecationWarning?#8@7 string, schema#4 CustomResourceValidation,
    subresources#5 CustomResourceSubresources,
    additionalPrinterColumns#6 [CustomResourceColumnDefinition], selectableFields#9 [SelectableField]
CustomResourceSubresourceScale: specReplicasPath*#1 string, statusReplicasPath*#2 string,
    labelSelectorPath?#3 string
CustomResourceSubresourceStatus: any
CustomResourceSubresources: status#1 CustomResourceSubresourceStatus, scale#2 CustomResourceSubresourceScale
CustomResourceValidation: openAPIV3Schema#1 any
ExternalDocumentation: description#1 string, url#2 string
JSONSchemaProps: id#1 string, $schema#2 string, $ref#3 string, description#4 string, type#5 string,
    format#6 string, title#7 string, default#8 any, maximum#9 number, exclusiveMaximum#10 bool,
    minimum#11 number, exclusiveMinimum#12 bool, maxLength#13 int64, minLength#14 int64, pattern#15 string,
    maxItems#16 int64, minItems#17 int64, uniqueItems#18 bool, multipleOf#19 number, enum#20 [any],
    maxProperties#21 int64, minProperties#22 int64, required#23 [string], items#24 any,
    allOf#25 [JSONSchemaProps], oneOf#26 [JSONSchemaProps], anyOf#27 [JSONSchemaProps],
    not#28 JSONSchemaProps, properties#29 {JSONSchemaProps}, additionalProperties#30 any,
    patternProperties#31 {JSONSchemaProps}, dependencies#32 {any}, additionalItems#33 any,
    definitions#34 {JSONSchemaProps}, externalDocs#35 ExternalDocumentation, example#36 any,
    nullable#37 bool, x-kubernetes-preserve-unknown-fields#38 bool, x-kubernetes-embedded-resource#39 bool,
    x-kubernetes-int-or-string#40 bool, x-kubernetes-list-map-keys#41 [string],
    x-kubernetes-list-type#42 string, x-kubernetes-map-type#43 string,
    x-kubernetes-validations#44 [ValidationRule] map(rule) merge(rule)
SelectableField: jsonPath*#1 string
ServiceReference: namespace*#1 string, name*#2 string, path?#3 string, port?#4 int
ValidationRule: rule*#1 string, message#2 string, messageExpression#3 string, reason?#4 string,
    fieldPath#5 string, optionalOldSelf?#6 bool
WebhookClientConfig: url?#3@0 string, service#1 ServiceReference, caBundle#2 bytes
WebhookConversion: clientConfig#2 WebhookClientConfig, conversionReviewVersions*#3 [string]
`;
