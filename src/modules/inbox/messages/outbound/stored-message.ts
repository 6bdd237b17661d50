import type { Ctx } from '../../../../infra/ctx'
import type { OutgoingContent } from '../../../../platform/send/content'
import { findMedia } from '../../../channel/media/store'
import { flowInputOf } from '../compose/flow'
import type { ParsedMessage } from '../compose/input'
import { storedCardFiles } from '../compose/interactive/carousel'
import type { FileInput } from '../compose/media'
import { repeatedTemplate } from '../compose/template/fill'
import type { MessageRow } from '../view'
import { NO_ATTACHED_FILES, type AttachedFiles } from './attached-files'
import type { TargetInput } from './resolve-target'
import { sendOptionsOf } from './send-options'
import { templateToSend } from './template-payload'

/** Warning of a message that has the content of one with unknown outcome. */
export const MAY_HAVE_ARRIVED = 'The first message may have arrived.'

/** Returns a stored message as input of a new one to the same contact from the same number. */
export function repeatOf(
  ctx: Ctx,
  row: MessageRow,
): { parsed: ParsedMessage; target: TargetInput; stored: AttachedFiles; aiModel?: string } {
  // The content was stored by a message of the same type.
  const message = { type: row.type, content: JSON.parse(row.content) as unknown } as OutgoingContent
  const template =
    message.type === 'template'
      ? repeatedTemplate(ctx, message.content, templateToSend(ctx, row))
      : null
  const parsed: ParsedMessage = {
    message,
    file: fileOf(ctx, row),
    cardFiles: storedCardFiles(message),
    sendOptions: sendOptionsOf(row),
    isDirectAllowed: row.isDirect,
    template,
  }
  const target: TargetInput = {
    recipient: { contactId: row.contactId },
    accountId: row.accountId,
    replyTo: row.replyToId ?? undefined,
    file: parsed.file,
    template: template?.row,
    flow: flowInputOf(message),
  }
  const aiModel = row.aiModel === null ? {} : { aiModel: row.aiModel }
  return { parsed, target, stored: NO_ATTACHED_FILES, ...aiModel }
}

/** The file of the original message as request input. */
function fileOf(ctx: Ctx, row: MessageRow): FileInput | null {
  const [file] = row.mediaId === null ? [] : findMedia(ctx, [row.mediaId])
  return file
    ? {
        kind: file.kind,
        mediaId: file.id,
        url: null,
        staged: null,
        filename: undefined,
        path: 'media',
      }
    : null
}
