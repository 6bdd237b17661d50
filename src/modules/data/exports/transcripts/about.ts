import type { ConversationView } from '../../../inbox/conversations/model'

/** Metadata of a transcript. */
export interface About {
  conversation: ConversationView
  organizationName: string
  timezone: string
  account: { name: string; phone_number: string | null }
  /** As requested. */
  from: string | null
  to: string | null
  madeAt: string
  madeBy: string | null
  /** Public base URL of this server. */
  baseUrl: string
}
