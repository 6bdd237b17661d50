/** A file of a message, the same for both directions. */
export interface FileContent {
  caption: string | null
  mime_type: string | null
  filename: string | null
  sha256: string | null
  size_bytes: number | null
}

interface LocationContent {
  latitude: number
  longitude: number
  name: string | null
  address: string | null
  url: string | null
}

/** A reaction to a message, identified by its platform ID. An empty emoji removes the reaction. */
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

/** The header of an interactive message: a text, or a stored file. */
export type HeaderContent =
  | string
  | { type: 'image' | 'video' | 'document'; media_id: string | null; filename: string | null }

interface Framed {
  body: string
  header: HeaderContent | null
  footer: string | null
}

export interface ListRow {
  id: string
  title: string
  description: string | null
}

/** A Flow to fill in: its IDs, its entry screen, and the token that identifies this message. */
export interface FlowContent extends Framed {
  kind: 'flow'
  button_text: string
  /** Our ID of the Flow, and the platform's. */
  flow_id: string
  meta_flow_id: string
  flow_name: string
  mode: 'draft' | 'published'
  /** Whether it opens an entry screen, or requests the first screen from its data endpoint. */
  flow_action: 'navigate' | 'data_exchange'
  screen: string | null
  /** Input data of the first screen. */
  data: Record<string, unknown> | null
  flow_token: string
}

/** A card of a carousel: a picture or video with a link. */
export interface MediaCard {
  header: { type: 'image' | 'video'; media_id: string | null; filename: string | null }
  body: string | null
  button_text: string
  url: string
}

/** A form for a postal address, with the platform's field names of the country. */
export interface AddressRequestContent extends Framed {
  kind: 'address_message'
  country: string
  values: Record<string, unknown> | null
  saved_addresses: { id: string; value: Record<string, unknown> }[]
  validation_errors: Record<string, unknown> | null
}

/** An interactive message by kind, in the API's format. */
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
  | ({ kind: 'call_permission_request' } & Framed)
  | ({ kind: 'product'; catalog_id: string; product_retailer_id: string } & Omit<Framed, 'body'> & {
        body: string | null
      })
  | ({
      kind: 'product_list'
      catalog_id: string
      sections: { title: string | null; product_retailer_ids: string[] }[]
    } & Framed)
  | ({ kind: 'catalog'; thumbnail_product_retailer_id: string | null } & Framed)
  | ({ kind: 'product_carousel'; catalog_id: string; product_retailer_ids: string[] } & Framed)
  | ({ kind: 'media_carousel'; cards: MediaCard[] } & Framed)
  | AddressRequestContent
  | ({ kind: 'order_details'; parameters: Record<string, unknown> } & Framed)
  | ({
      kind: 'order_status'
      reference_id: string
      order_status: string
      description: string | null
    } & Framed)
  | ({
      kind: 'voice_call'
      button_text: string | null
      ttl_minutes: number | null
      payload: string | null
    } & Framed)
  | FlowContent

/** A template message: its parameters and its rendered text. */
export interface TemplateContent {
  template_id: string
  name: string
  language: string
  category: string
  /** Header text, or the type and data of a media or location header. */
  header: string | Record<string, unknown> | null
  body: string | null
  footer: string | null
  offer: { text: string; expires_at: string | null } | null
  buttons: Record<string, unknown>[]
  cards: Record<string, unknown>[]
  /** Text parameters as given in the request. */
  params: Record<string, unknown>
}

/** Content that can be sent: a type and its content as stored and shown. */
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
