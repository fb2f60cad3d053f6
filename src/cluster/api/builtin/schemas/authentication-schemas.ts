// The fields of token reviews of authentication.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of token reviews of authentication.k8s.io/v1. */
export const authenticationSchemas = `
TokenReview (object): spec*#2 TokenReviewSpec, status#3 TokenReviewStatus
TokenReviewSpec: audiences#2 [string], token*#1 string
TokenReviewStatus: audiences#4 [string], authenticated#1 bool, error#3 string, user#2 UserInfo
UserInfo: extra#4 {[string]}, groups#3 [string], uid#2 string, username#1 string
`;
