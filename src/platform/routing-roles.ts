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

/** What the business that owns the app does on a number. */
export interface RoutingRoles {
  /** The entry points whose primary responder it is, and `escalation`. Later versions add names. */
  roles: string[]
  /** Whether it sees the messages that others answer. */
  isStandby: boolean
}
