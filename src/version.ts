import manifest from '../package.json'

/** Put in by the build (`release/build.ts`); not there when the program runs from its source. */
declare const BUILT_FROM: Commit | null

/** The commit that a program was built from. */
export interface Commit {
  hash: string
  /** ISO 8601 time of the commit, not of the build: the same source builds the same program. */
  committedAt: string
}

/** Version of the program, from package.json. */
export const VERSION: string = manifest.version

/** What runs. The commit is `null` for the source itself, and if the build had no repository. */
export const RELEASE = {
  version: VERSION,
  commit: typeof BUILT_FROM === 'undefined' ? null : BUILT_FROM,
}
