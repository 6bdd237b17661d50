/** Beginning of the names of templates that WhatsApp makes of messages sent without one. */
const GENERATED = 'auto_generated'

/**
 * Whether WhatsApp made the template of a message that was sent without one. Nobody can send, change
 * or delete it, so it is not kept here.
 */
export const isGenerated = (name: string): boolean => name.startsWith(GENERATED)
