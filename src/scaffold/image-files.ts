// The image of an operator: one file on a Node without a shell or a package manager, run by a user without rights.

const command = [
  "/nodejs/bin/node",
  "--enable-source-maps",
  // What a run needs lives until it ends: the larger the nursery, the fewer runs it is emptied in, and threads that help with that
  // mostly wait for each other. See bench/README.md.
  "--min-semi-space-size=16",
  "--max-semi-space-size=16",
  "--no-parallel-scavenge",
  "/operator/operator.mjs",
];

/**
 * The stage that runs the built operator. `copies` are its instructions that bring the files, relative to its folder. What Node compiles is
 * kept in the image, for the same flags and the same user; where it does not fit, as on another kind of processor, it is compiled again.
 */
export function operatorImage(copies: readonly string[]): string {
  return `FROM gcr.io/distroless/nodejs24-debian12:nonroot
WORKDIR /operator
${copies.map((copy) => `${copy}\n`).join("")}USER 65532
ENV NODE_ENV=production MALLOC_ARENA_MAX=1 NODE_COMPILE_CACHE=/home/nonroot/compiled
RUN ${listed([...command, "--version"])}
ENTRYPOINT ${listed(command)}
`;
}

/** An instruction's words where there is no shell. */
function listed(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;
}

/** The Dockerfile of a project: builds the operator, and takes nothing else into the image. */
export const projectDockerfile = `FROM node:24-slim AS build
WORKDIR /operator
COPY package.json package-lock.json ./
RUN npm ci
COPY operator.ts ./
COPY src ./src
RUN npm run build && rm dist/Dockerfile

${operatorImage(["COPY --from=build /operator/dist ./"])}`;

/** What is not sent to the builder of the image. */
export const projectDockerignore = `node_modules
dist
.git
test
samples
`;
