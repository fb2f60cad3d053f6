// What is written as in a file, but in code: the place of each of its parts is the line of the code that hands it over.
import { placeOfError } from "../../ports/author-code.ts";
import { FileReader } from "./file-reader.ts";

/** A value of the code as a file that is being read. */
export class CodeReader extends FileReader {
  readonly #place: string;

  /** `file`: what paths are relative to, and its place where no line of the author's hands it over. */
  constructor(value: unknown, file: string) {
    super(JSON.stringify(value), file);
    this.#place = placeOfError(new Error("written here")) ?? file;
  }

  override placeOf(): string {
    return this.#place;
  }

  override placeAtOffset(): string {
    return this.#place;
  }
}
