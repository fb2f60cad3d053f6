// What a client needs to know of one API server: where it is, whom to trust, and who we are.
// Made by kube-config.ts, read by http-transport.ts.

/** What proves who we are on the next request. */
export interface Authentication {
  /** `authorization` and impersonation headers, names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Certificates and keys in PEM. The same object as long as nothing in it changed: another one means that connections must be recreated. */
  readonly tls: {
    /** Who signs the server's certificate; default the system's authorities. */
    readonly ca?: string;
    /** The client's certificate. */
    readonly cert?: string;
    /** The key of the client's certificate. */
    readonly key?: string;
    /** The name that the server's certificate must have; default the host of the URL. */
    readonly servername?: string;
    /** False: whoever answers is believed. */
    readonly rejectUnauthorized?: boolean;
  };
}

/** The part of TLS that a kubeconfig decides. */
export type TlsOptions = Authentication["tls"];

/** An HTTP proxy. */
export interface HttpProxy {
  /** May hold credentials: for messages there is `describeProxy`. */
  readonly url: string;
  /** Where it is configured, for messages: `HTTPS_PROXY`. */
  readonly source: string;
}

/** Where an API server is and how to talk to it. */
export interface Connection {
  /** Base URL without a trailing slash; may have a path. */
  readonly server: string;
  /** The namespace of the context; `default` when it names none. */
  readonly namespace: string;
  /** For messages: `context "dev" of /home/me/.kube/config`. */
  readonly source: string;
  /** For messages: where the certificate authority comes from. */
  readonly trust: string;
  /** An HTTP proxy to go through. */
  readonly proxy: HttpProxy | undefined;
  /**
   * Current credentials at an instant (monotonic milliseconds). Cheap: files are read again after a minute,
   * plugins run again when their token expires. With the credentials that were `refused` (401) everything is read again,
   * once for all that were refused with the same ones.
   *
   * **Errors**: `KUBECONFIG_FILE_UNREADABLE`, `CREDENTIALS_FAILED`.
   */
  authenticate(now: number, refused?: Authentication): Promise<Authentication>;
}
