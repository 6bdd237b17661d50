import type { StagedFile } from '../../../infra/files/staged-file'
import type { Ctx } from '../../../infra/ctx'
import type { ProductThing, Reason } from './model'

/** A file of a message, where the source finds it. */
export interface EntryFile {
  /** Its address or path, which only the source reads. */
  at: string
  kind: 'image' | 'video' | 'audio' | 'document' | 'sticker'
  filename: string | null
}

/** A message of another product. Contact and number are named by their IDs there. */
export interface MessageEntry {
  kind: 'message'
  id: string
  contact: string
  number: string
  waMessageId: string | null
  direction: 'incoming' | 'outgoing'
  text: string
  location: { latitude: number; longitude: number; name: string | null } | null
  file: EntryFile | null
  atMs: number
  status: 'sent' | 'delivered' | 'read' | 'failed'
  problem: string | null
  author: string | null
  quotes: { waMessageId: string } | { id: string } | null
}

/** A contact of another product. */
export interface ContactEntry {
  kind: 'contact'
  id: string
  phone: string | null
  name: string | null
  tags: string[]
  fields: Record<string, unknown>
  createdAtMs: number | null
}

/** One thing of another product, in the words of this one. */
export type ProductEntry =
  | MessageEntry
  | ContactEntry
  | {
      kind: 'number'
      id: string
      phone: string | null
      phoneId: string | null
      isWhatsApp: boolean
    }
  | { kind: 'agent'; id: string; email: string }
  | { kind: 'tag'; id: string; name: string }
  | { kind: 'canned_response'; id: string; name: string; shortcut: string | null; content: string }
  | {
      kind: 'note'
      id: string
      contact: string
      content: string
      author: string | null
      atMs: number
    }
  | { kind: 'conversation'; id: string; contact: string; number: string; isOpen: boolean }
  /** Everything of a conversation up to this place was read. */
  | { kind: 'conversation'; id: string; position: string }
  /** A thing that the source itself cannot give. */
  | { kind: ProductThing; id: string; leftOut: Reason }

/** What a source asks about the things it gave, so that it reads nothing in vain. */
export interface KnownBefore {
  /** How far an earlier run has read a conversation. */
  positionOf: (conversation: string) => string | null
  /** Whether a number is one of here. */
  hasNumber: (number: string) => boolean
}

/** A product to import from. */
export interface ProductSource {
  product: 'chatwoot' | 'whatomate'
  /** Names the account there, so that a repeated import goes on. */
  origin: string
  /**
   * Reads everything, parents before what belongs to them. Throws ProductImportError.
   */
  entries(known: KnownBefore): AsyncIterable<ProductEntry>
  /** Reads a file to a staged one. Throws FileRefusal. */
  stage(ctx: Ctx, file: EntryFile): Promise<StagedFile>
  /** Ends what it holds open. */
  close(): void
}

/** Largest file that is read, bytes: as large as WhatsApp sends them. */
export const MAX_FILE_BYTES = 100 * 1_024 * 1_024

/** A file of the other product cannot be had. */
export class FileRefusal extends Error {
  override readonly name = 'FileRefusal'
  constructor(readonly reason: Reason) {
    super(reason)
  }
}
