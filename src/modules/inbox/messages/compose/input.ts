import type { FileContent, OutgoingContent } from '../../../../platform/send/content'
import { requiredText, readOrThrow, type Report } from '../../../../lib/input-problems'
import { readFields } from '../../../../lib/read-fields'
import type { Ctx } from '../../../../infra/ctx'
import type { StagedFile } from '../../../../infra/files/staged-file'
import { findAccount } from '../../../channel/accounts/queries'
import type { MediaRow } from '../../../channel/media/view'
import { readCards } from './contacts'
import { readSource, type FileInput } from './media'
import { readInteractive } from './interactive/read'
import { DIRECT_KINDS, LIMITS } from './rules'
import type { NewMessage } from './model'
import { readTemplate, type ParsedTemplate } from './template/read'
import { TYPES } from './by-type/model'

/** A validated request. Its file is not looked up yet. */
export interface ParsedMessage {
  message: OutgoingContent
  file: FileInput | null
  /** Files of the cards of a carousel by index; a template has its own. */
  cardFiles: (FileInput | null)[]
  /** Options for the platform beside the content. */
  sendOptions: { preview_url?: boolean }
  /** Whether it may be sent without a template if the 24-hour window is closed. */
  isDirectAllowed: boolean
  /** The template, which is filled once its files are stored; `null` for other types. */
  template: ParsedTemplate | null
}

/** A send request; a multipart form can include the file itself. */
export type MessageInput = NewMessage & { file?: StagedFile | undefined }

type Read =
  | (Pick<ParsedMessage, 'message' | 'file'> & Partial<Pick<ParsedMessage, 'cardFiles'>>)
  | null

/** Returns the files of the cards of a message or of its template, by index. */
export const cardFilesOf = ({ template, cardFiles }: ParsedMessage): (FileInput | null)[] =>
  template?.cardFiles ?? cardFiles

const NO_FILE: FileContent = {
  caption: null,
  mime_type: null,
  filename: null,
  sha256: null,
  size_bytes: null,
}

/**
 * Validates a send request by type. Throws InvalidError `invalid_input` that names every invalid
 * field. Lengths are counted in Unicode code points; nothing is truncated.
 */
export function parseMessage(ctx: Ctx, input: MessageInput): ParsedMessage {
  return readOrThrow((report) => {
    const { type } = input
    if (type === 'template') return parseTemplate(ctx, report, input)
    const read = readType(report, type, input)
    if (input.direct === true) checkDirect(report, input, read?.message)
    const sendOptions = type === 'text' && input.preview_url === true ? { preview_url: true } : {}
    // The placeholder is never used: its problems are reported.
    return {
      message: read?.message ?? PLACEHOLDER,
      file: read?.file ?? null,
      cardFiles: read?.cardFiles ?? [],
      sendOptions,
      isDirectAllowed: input.direct ?? false,
      template: null,
    }
  })
}

const PLACEHOLDER: OutgoingContent = { type: 'text', content: { text: '' } }

function parseTemplate(ctx: Ctx, report: Report, input: MessageInput): ParsedMessage {
  if (input.direct === true) report('body.direct', 'cannot be combined with template')
  const account = input.account_id === undefined ? null : findAccount(ctx, input.account_id)
  const read = readTemplate(ctx, report, input, account?.businessId ?? null)
  return {
    message: PLACEHOLDER,
    file: read?.file ?? null,
    cardFiles: [],
    sendOptions: {},
    isDirectAllowed: false,
    template: read?.draft ?? null,
  }
}

/** Reports what WhatsApp does not send without a template outside of the 24-hour window. */
function checkDirect(
  report: Report,
  { type, preview_url }: MessageInput,
  message: OutgoingContent | undefined,
): void {
  if (preview_url === true) report('body.preview_url', 'cannot be combined with direct')
  if (message?.type === 'text' && [...message.content.text].length > LIMITS.directText)
    report('body.text', `must be at most ${LIMITS.directText} characters long with direct`)
  const isPossible =
    message === undefined ||
    message.type === 'text' ||
    (message.type === 'interactive' && DIRECT_KINDS.includes(message.content.kind))
  if (!isPossible)
    report(
      'body.direct',
      `cannot be combined with this ${type}; send a text, reply buttons or a link`,
    )
}

function readType(
  report: Report,
  type: Exclude<MessageInput['type'], 'template'>,
  input: MessageInput,
): Read {
  switch (type) {
    case 'text':
      return { message: { type, content: { text: readText(report, input) } }, file: null }
    case 'image':
    case 'video':
    case 'document':
      return {
        message: { type, content: { ...NO_FILE, ...readCaption(report, type, input) } },
        file: readSource(report, 'body', type, input),
      }
    case 'audio': {
      rejectCaption(report, input)
      const content = { ...NO_FILE, voice: input.voice ?? false }
      return { message: { type, content }, file: readSource(report, 'body', type, input) }
    }
    case 'sticker':
      rejectCaption(report, input)
      return {
        message: { type, content: { ...NO_FILE, animated: false } },
        file: readSource(report, 'body', type, input),
      }
    case 'location': {
      const { location } = readFields(report, 'body', TYPES.location, input)
      return { message: { type, content: { ...location, url: null } }, file: null }
    }
    case 'contacts':
      return { message: { type, content: { contacts: readCards(report, input) } }, file: null }
    case 'interactive': {
      const read = readInteractive(report, input.interactive)
      return (
        read && {
          message: { type, content: read.content },
          file: read.file,
          cardFiles: read.cardFiles,
        }
      )
    }
  }
}

/** Reads the text from `text` or `content.text`. */
function readText(report: Report, { text, content }: MessageInput): string {
  if (text !== undefined && content !== undefined && text !== content.text)
    report('body.text', 'and content.text differ; send only one of them')
  return requiredText(report, 'body.text', text ?? content?.text, LIMITS.text)
}

/** Reads what a file is sent with. */
function readCaption(
  report: Report,
  type: 'image' | 'video' | 'document',
  input: MessageInput,
): Partial<Pick<FileContent, 'caption' | 'filename'>> {
  const { media_id: _id, media_url: _url, ...fields } = TYPES[type]
  return readFields(report, 'body', fields, input)
}

function rejectCaption(report: Report, { type, caption }: MessageInput): void {
  if (caption !== undefined && caption !== '')
    report('body.caption', `cannot be combined with ${type}`)
}

/** A message with the details of its file. */
export interface FilledTemplate {
  message: OutgoingContent
  warnings: string[]
}

/**
 * Completes a message with the details of its file. Audio that is no voice note is sent as plain
 * audio, with a warning.
 */
export function withFile(
  { message }: ParsedMessage,
  file: MediaRow | null,
  isVoiceNote: (file: MediaRow) => boolean,
): FilledTemplate {
  if (file === null) return { message, warnings: [] }
  const facts = { mime_type: file.mimeType, sha256: file.sha256, size_bytes: file.sizeBytes }
  switch (message.type) {
    case 'image':
    case 'video':
      return { message: { ...message, content: { ...message.content, ...facts } }, warnings: [] }
    case 'document': {
      const filename = message.content.filename ?? file.filename
      return {
        message: { ...message, content: { ...message.content, ...facts, filename } },
        warnings: [],
      }
    }
    case 'sticker':
      return {
        message: {
          ...message,
          content: { ...message.content, ...facts, animated: file.isAnimated },
        },
        warnings: [],
      }
    case 'audio': {
      const voice = message.content.voice && isVoiceNote(file)
      const warnings = message.content.voice && !voice ? ['voice_as_audio'] : []
      return { message: { ...message, content: { ...message.content, ...facts, voice } }, warnings }
    }
    case 'interactive':
      return {
        message: { ...message, content: withHeaderFile(message.content, file) },
        warnings: [],
      }
    default:
      return { message, warnings: [] }
  }
}

type Interactive = Extract<OutgoingContent, { type: 'interactive' }>['content']

const withHeaderFile = (content: Interactive, file: MediaRow): Interactive =>
  content.header === null || typeof content.header === 'string'
    ? content
    : { ...content, header: { ...content.header, media_id: file.id, filename: file.filename } }
