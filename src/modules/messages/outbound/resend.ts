import { ConflictError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import type { OutgoingContent } from '../../../platform/send/content'
import { masksNumbers } from '../../contacts/visibility'
import { findMedia } from '../../media/store'
import type { MessageView } from '../model'
import { createMessageIn } from './create'
import { NO_ATTACHED_FILES } from './attached-files'
import { loadMessageParts } from '../message-parts'
import { visibleMessage } from '../queries'
import { storedCardFiles } from '../compose/interactive/carousel'
import type { ParsedMessage } from '../compose/input'
import type { FileInput } from '../compose/media'
import { flowInputOf } from '../compose/flow'
import type { TargetInput } from './resolve-target'
import { repeatedTemplate } from '../compose/template/fill'
import { findMessageIn } from './delivery-state'
import { templateToSend } from './template-payload'
import { messageView, type MessageRow } from '../view'
import { sendOptionsOf } from './send-options'

/** Warning of a message that resends one with unknown outcome. */
const MAY_HAVE_ARRIVED = 'The first message may have arrived.'

/**
 * Resends a failed or unknown message as a new message of the caller, with all checks of a new one.
 * Throws NotFoundError, ConflictError `not_resendable`, and as `createMessage`.
 */
export function resendMessage(
  ctx: Ctx,
  id: string,
  { takesThread }: { takesThread: boolean },
): MessageView {
  return transact(ctx.db, (tx) => {
    const row = resendIn(tx, ctx, visibleMessage(ctx, id), takesThread)
    return messageView(row, loadMessageParts(ctx, [row])(row), masksNumbers(ctx))
  })
}

/**
 * Resends a message whose discarded job is retried, in the transaction that revives the job. Throws
 * ConflictError `not_resendable`, and as `createMessage`.
 */
export function resendByIdIn(tx: Tx, ctx: Ctx, messageId: string): void {
  const row = findMessageIn(tx, ctx, messageId)
  if (row) resendIn(tx, ctx, row, false)
}

function resendIn(tx: Tx, ctx: Ctx, row: MessageRow, takesThread: boolean): MessageRow {
  if (row.isObserved)
    throw new ConflictError('This message was sent by someone else and cannot be resent.', {
      code: 'not_resendable',
    })
  if (row.direction !== 'outgoing' || !['failed', 'unknown'].includes(row.status))
    throw new ConflictError(
      `Only failed or unknown messages can be resent. This message is \`${row.status}\`.`,
      {
        code: 'not_resendable',
      },
    )
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
    takesThread,
  }
  const warnings = row.status === 'unknown' ? [MAY_HAVE_ARRIVED] : []
  return createMessageIn(tx, ctx, {
    parsed,
    target,
    stored: NO_ATTACHED_FILES,
    clientRef: row.clientRef,
    repeats: { id: row.id, warnings },
  })
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
