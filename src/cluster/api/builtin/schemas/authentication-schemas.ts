// The fields of token reviews of authentication.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of token reviews of authentication.k8s.io/v1. */
export const authenticationSchemas = `
TokenReview (object): spec* TokenReviewSpec, status TokenReviewStatus
TokenReviewSpec: audiences [string], token* string
TokenReviewStatus: audiences [string], authenticated bool, error string, user UserInfo
UserInfo: extra {[string]}, groups [string], uid string, username string
`;
