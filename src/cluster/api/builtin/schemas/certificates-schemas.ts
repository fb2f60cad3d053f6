// The fields of certificate requests of certificates.k8s.io/v1, in the notation of schema-notation.ts.
// Read by builtin-schemas.ts; the names are the API's own.

/** Type table of certificate requests of certificates.k8s.io/v1. */
export const certificatesSchemas = `
CertificateSigningRequest (object): spec*#2 CertificateSigningRequestSpec,
    status+#3 CertificateSigningRequestStatus
CertificateSigningRequestCondition: lastTransitionTime#5 time, lastUpdateTime#4 time, message#3 string,
    reason#2 string, status*#6@1 string, type*#1 string
CertificateSigningRequestSpec: expirationSeconds?#8@7 int, extra#6 {[string]}, groups#4 [string],
    request*#1 bytes, signerName*#7@1 string, uid#3 string, usages#5@8 [string], username#2 string
CertificateSigningRequestStatus: certificate#2 bytes,
    conditions#1 [CertificateSigningRequestCondition] map(type)
`;
