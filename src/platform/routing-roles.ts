/** The responders to whom a thread can be passed (platform documentation: thread control). */
export const PASS_TARGETS = [
  'ai_agent',
  'ctwa',
  'customer_service',
  'escalation',
  'marketing',
  'utility',
] as const

/** A responder to whom a thread can be passed. */
export type PassTarget = (typeof PASS_TARGETS)[number]
