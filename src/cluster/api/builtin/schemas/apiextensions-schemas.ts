// The fields of custom resource definitions of apiextensions.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of custom resource definitions of apiextensions.k8s.io/v1. */
export const apiextensionsSchemas = `
CustomResourceColumnDefinition: description string, format string, jsonPath* string, name* string,
    priority int, type* string
CustomResourceConversion: strategy* string, webhook WebhookConversion
CustomResourceDefinition (object): spec* CustomResourceDefinitionSpec, status+ CustomResourceDefinitionStatus
CustomResourceDefinitionCondition: lastTransitionTime time, message string, observedGeneration int64,
    reason string, status* string, type* string
CustomResourceDefinitionNames: categories [string], kind* string, listKind string, plural* string,
    shortNames [string], singular string
CustomResourceDefinitionSpec: conversion CustomResourceConversion, group* string,
    names* CustomResourceDefinitionNames, preserveUnknownFields bool, scope* string,
    versions* [CustomResourceDefinitionVersion]
CustomResourceDefinitionStatus: acceptedNames+ CustomResourceDefinitionNames,
    conditions+ [CustomResourceDefinitionCondition] map(type), observedGeneration int64,
    storedVersions+ [string]
CustomResourceDefinitionVersion: additionalPrinterColumns [CustomResourceColumnDefinition], deprecated bool,
    deprecationWarning? string, name* string, schema CustomResourceValidation,
    selectableFields [SelectableField], served* bool, storage* bool, subresources CustomResourceSubresources
CustomResourceSubresourceScale: labelSelectorPath? string, specReplicasPath* string,
    statusReplicasPath* string
CustomResourceSubresourceStatus: any
CustomResourceSubresources: scale CustomResourceSubresourceScale, status CustomResourceSubresourceStatus
CustomResourceValidation: openAPIV3Schema any
SelectableField: jsonPath* string
ServiceReference: name* string, namespace* string, path? string, port? int
WebhookClientConfig: caBundle bytes, service ServiceReference, url? string
WebhookConversion: clientConfig WebhookClientConfig, conversionReviewVersions* [string]
`;
