/** A file of a message in our words, the same shape in and out. */
export interface FileContent {
  caption: string | null
  mime_type: string | null
  filename: string | null
  sha256: string | null
  size_bytes: number | null
}

/** A place. */
export interface LocationContent {
  latitude: number
  longitude: number
  name: string | null
  address: string | null
  url: string | null
}

/** A reaction to a message, by the platform's id of it; an empty emoji takes it back. */
export interface ReactionContent {
  message_id: string
  emoji: string
}

/** A contact card. */
export interface CardContent {
  name: { formatted_name: string } & Record<string, string>
  phones: { phone: string | null; type: string | null; wa_id: string | null }[]
  emails: { email: string; type: string | null }[]
  addresses: Record<string, string>[]
  urls: { url: string; type: string | null }[]
  org: Record<string, string>
  birthday: string | null
  origin: null
}

/** What stands above the body of an interactive message: words, or one of our files. */
export type HeaderContent =
  | string
  | { type: 'image' | 'video' | 'document'; media_id: string | null; filename: string | null }

interface Framed {
  body: string
  header: HeaderContent | null
  footer: string | null
}

/** A row of a list. */
export interface ListRow {
  id: string
  title: string
  description: string | null
}

/**
 * A form that is to be filled in: which one, how it begins, and the token that stands for this very
 * message.
 */
export interface FlowContent extends Framed {
  kind: 'flow'
  button_text: string
  /** Our id of the form, and the platform's. */
  flow_id: string
  meta_flow_id: string
  flow_name: string
  mode: 'draft' | 'published'
  /** Whether it begins with a screen, or asks its endpoint for one. */
  flow_action: 'navigate' | 'data_exchange'
  screen: string | null
  /** What the first screen is given. */
  data: Record<string, unknown> | null
  flow_token: string
}

/** An interactive message in our words, by kind. */
export type InteractiveContent =
  | ({ kind: 'button'; buttons: { id: string; title: string }[] } & Framed)
  | ({
      kind: 'list'
      button_text: string
      sections: { title: string | null; rows: ListRow[] }[]
    } & Framed)
  | ({ kind: 'cta_url'; button_text: string; url: string } & Framed)
  | ({ kind: 'location_request' } & Framed)
  | ({ kind: 'contact_request' } & Framed)
  | ({ kind: 'product'; catalog_id: string; product_retailer_id: string } & Omit<Framed, 'body'> & {
        body: string | null
      })
  | ({
      kind: 'product_list'
      catalog_id: string
      sections: { title: string | null; product_retailer_ids: string[] }[]
    } & Framed)
  | ({ kind: 'catalog'; thumbnail_product_retailer_id: string | null } & Framed)
  | FlowContent

/** A template as it was filled in and as the customer sees it. */
export interface TemplateContent {
  template_id: string
  name: string
  language: string
  category: string
  /** Words; or what kind of thing stands there, of ours or a place. */
  header: string | Record<string, unknown> | null
  body: string | null
  footer: string | null
  offer: { text: string; expires_at: string | null } | null
  buttons: Record<string, unknown>[]
  cards: Record<string, unknown>[]
  /** The values of the text, as they were given. */
  params: Record<string, unknown>
}

/** What can be sent, in our words: a type and its content as it is stored and shown. */
export type OutgoingContent =
  | { type: 'text'; content: { text: string } }
  | { type: 'image' | 'video' | 'document'; content: FileContent }
  | { type: 'audio'; content: FileContent & { voice: boolean } }
  | { type: 'sticker'; content: FileContent & { animated: boolean } }
  | { type: 'location'; content: LocationContent }
  | { type: 'contacts'; content: { contacts: CardContent[] } }
  | { type: 'interactive'; content: InteractiveContent }
  | { type: 'template'; content: TemplateContent }
  | { type: 'reaction'; content: ReactionContent }
