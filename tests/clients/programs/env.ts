/**
 * What each program is started with, in its environment. Each signs in, lists contacts, sends a
 * text, reads it again, meets an error by its code, and reads an event by its type.
 */
export interface ProgramEnv {
  BASE_URL: string
  EMAIL: string
  PASSWORD: string
  /** Text of the message that the program sends. */
  TEXT: string
  /** The body of a `message.received` event with a text. */
  EVENT: string
  /** An ID that no message has. */
  MISSING: string
}
