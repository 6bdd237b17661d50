import manifest from '../package.json'

/** Version of the program, from package.json. */
export const VERSION: string = manifest.version
