// The fields of token reviews of authentication.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of token reviews of authentication.k8s.io/v1. */
export const authenticationSchemas = `
BoundObjectReference: apiVersion#2 string, kind#1 string, name#3 string, uid#4 string
SelfSubjectReview (object): status+#2 SelfSubjectReviewStatus
SelfSubjectReviewStatus: userInfo+#1 UserInfo
TokenRequest (object): spec*#2 TokenRequestSpec, status+#3 TokenRequestStatus
TokenRequestSpec: audiences*#1 [string], boundObjectRef#3@4 BoundObjectReference, expirationSeconds?#4 int64
TokenRequestStatus: expirationTimestamp*#2 time, token*#1 string
TokenReview (object): spec*#2 TokenReviewSpec, status+#3 TokenReviewStatus
TokenReviewSpec: audiences#2 [string], token*#1 string
TokenReviewStatus: audiences#4 [string], authenticated#1 bool, error#3@4 string, user+#2 UserInfo
UserInfo: extra#4 {[string]}, groups#3 [string], uid#2 string, username#1 string
`;
