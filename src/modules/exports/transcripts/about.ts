import type { ConversationView } from '../../conversations/model'

/** What a transcript says of itself. */
export interface About {
  conversation: ConversationView
  organizationName: string
  timezone: string
  account: { name: string; phone_number: string | null }
  /** As they were asked for. */
  from: string | null
  to: string | null
  madeAt: string
  madeBy: string | null
  /** Where this server is reached. */
  baseUrl: string
}
