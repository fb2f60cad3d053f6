// The fields of custom resource definitions of apiextensions.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of custom resource definitions of apiextensions.k8s.io/v1. */
export const apiextensionsSchemas = `
CustomResourceColumnDefinition: name* string, type* string, format string, description string, priority int,
    jsonPath* string
CustomResourceConversion: strategy* string, webhook WebhookConversion
CustomResourceDefinition (object): spec* CustomResourceDefinitionSpec, status+ CustomResourceDefinitionStatus
CustomResourceDefinitionCondition: type* string, status* string, lastTransitionTime time, reason string,
    message string, observedGeneration int64
CustomResourceDefinitionNames: plural* string, singular string, shortNames [string], kind* string,
    listKind string, categories [string]
CustomResourceDefinitionSpec: group* string, names* CustomResourceDefinitionNames, scope* string,
    versions* [CustomResourceDefinitionVersion], conversion CustomResourceConversion,
    preserveUnknownFields bool
CustomResourceDefinitionStatus: conditions+ [CustomResourceDefinitionCondition] map(type),
    acceptedNames+ CustomResourceDefinitionNames, storedVersions+ [string], observedGeneration int64
CustomResourceDefinitionVersion: name* string, served* bool, storage* bool, deprecated bool,
    deprecationWarning? string, schema CustomResourceValidation, subresources CustomResourceSubresources,
    additionalPrinterColumns [CustomResourceColumnDefinition], selectableFields [SelectableField]
CustomResourceSubresourceScale: specReplicasPath* string, statusReplicasPath* string,
    labelSelectorPath? string
CustomResourceSubresourceStatus: any
CustomResourceSubresources: status CustomResourceSubresourceStatus, scale CustomResourceSubresourceScale
CustomResourceValidation: openAPIV3Schema any
ExternalDocumentation: description string, url string
JSONSchemaProps: $ref string, $schema string, additionalItems any, additionalProperties any,
    allOf [JSONSchemaProps], anyOf [JSONSchemaProps], default any, definitions {JSONSchemaProps},
    dependencies {any}, description string, enum [any], example any, exclusiveMaximum bool,
    exclusiveMinimum bool, externalDocs ExternalDocumentation, format string, id string, items any,
    maxItems int64, maxLength int64, maxProperties int64, maximum number, minItems int64,
    minLength int64, minProperties int64, minimum number, multipleOf number, not JSONSchemaProps,
    nullable bool, oneOf [JSONSchemaProps], pattern string, patternProperties {JSONSchemaProps},
    properties {JSONSchemaProps}, required [string], title string, type string, uniqueItems bool,
    x-kubernetes-embedded-resource bool, x-kubernetes-int-or-string bool,
    x-kubernetes-list-map-keys [string], x-kubernetes-list-type string, x-kubernetes-map-type string,
    x-kubernetes-preserve-unknown-fields bool, x-kubernetes-validations [ValidationRule] map(rule) merge(rule)
SelectableField: jsonPath* string
ServiceReference: namespace* string, name* string, path? string, port? int
ValidationRule: fieldPath string, message string, messageExpression string, optionalOldSelf? bool,
    reason? string, rule* string
WebhookClientConfig: url? string, service ServiceReference, caBundle bytes
WebhookConversion: clientConfig WebhookClientConfig, conversionReviewVersions* [string]
`;
