/**
 * Writes a number as the platform takes it as recipient: with a plus. Without one it may put the
 * country code of the sender in front of the number (platform documentation), and write to somebody
 * else.
 */
export const dialed = (digits: string): string => `+${digits}`
