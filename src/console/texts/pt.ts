import inbox from './pt/inbox.json'
import parts from './pt/parts.json'
import shell from './pt/shell.json'
import signIn from './pt/sign-in.json'

/** Texts in this language. */
export const texts: Record<string, string> = { ...parts, ...shell, ...signIn, ...inbox }
