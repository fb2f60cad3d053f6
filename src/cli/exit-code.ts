// A command that has said everything itself and only leaves an exit code.

/** Ends the command line with a code, without a further word. */
export class ExitCode extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}
