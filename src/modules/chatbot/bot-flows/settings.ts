/** Settings of a bot flow that concern all its versions. */
export interface FlowSettings {
  initialMessage: string | null
  completionMessage: string | null
  /** The request sent when a session completes; `null` for none. Header values are sealed apart. */
  completion: CompletionRequest | null
  cancelKeywords: string[]
  cancelMessage: string | null
  /** `null` follows the session timeout of the organization. */
  timeoutMinutes: number | null
  timeoutMessage: string | null
  /** How the variables of a session are shown beside the conversation. */
  panel: PanelConfig | null
}

/** A request to a webhook. `url` and `body` are templates. */
export interface CompletionRequest {
  url: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headerNames: string[]
  body: string | null
}

/** The panel that shows the variables of a session, in sections. */
export interface PanelConfig {
  sections: {
    id: string
    label: string
    columns: number
    collapsible: boolean
    default_collapsed: boolean
    order: number
    fields: {
      key: string
      label: string
      order: number
      display_type: 'text' | 'badge' | 'tag'
      color: string | null
    }[]
  }[]
}
