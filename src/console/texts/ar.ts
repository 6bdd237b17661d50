import inbox from './ar/inbox.json'
import parts from './ar/parts.json'
import shell from './ar/shell.json'
import signIn from './ar/sign-in.json'

/** Texts in this language. */
export const texts: Record<string, string> = { ...parts, ...shell, ...signIn, ...inbox }
