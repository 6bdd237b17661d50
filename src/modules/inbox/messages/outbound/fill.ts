import type { Ctx } from '../../../../infra/ctx'
import { filesOfTemplate } from '../../../../platform/send/template'
import type { AccountRow } from '../../../channel/accounts/view'
import type { FlowRow } from '../../../channel/flows/view'
import { isVoiceNote } from '../../../channel/media/prepare-to-send'
import { withFile, type ParsedMessage, type FilledTemplate } from '../compose/input'
import { cardMediaOf, withCardFiles } from '../compose/interactive/carousel'
import { withFlow } from '../compose/flow'
import { isSecret, templateMessage, type TemplateFiles } from '../compose/template/fill'
import { withFlowToken } from '../compose/template/flow-token'
import { templateOptions } from './template-payload'
import type { SendOptions } from './send-options'

/** A complete message with its files and the options that its send job needs. */
export interface FilledMessage extends FilledTemplate {
  sendOptions: SendOptions
  mediaIds: string[]
}

/** The files, the account and the Flow that complete a message. */
interface FillContext {
  files: TemplateFiles
  account: AccountRow
  /** The Flow it carries, and the token that identifies the response. */
  flow: FlowRow | null
  token: string
}

/**
 * Completes a message with its files, its Flow and its template values. Throws InvalidError
 * `template_not_approved`, `missing_params` or `invalid_params`.
 */
export function fillIn(
  ctx: Ctx,
  parsed: ParsedMessage,
  { files, account, flow, token }: FillContext,
): FilledMessage {
  const { template, sendOptions, file } = parsed
  const { header } = files
  if (!template) {
    const { message: drafted, warnings } = withFile(parsed, header, isVoiceNote)
    const message = withCardFiles(drafted, files.cards)
    return {
      message: withFlow(message, flow, token),
      warnings,
      sendOptions,
      mediaIds: [...(header ? [header.id] : []), ...cardMediaOf(message)],
    }
  }
  const { content, toSend: filled } = templateMessage(template, file, files)
  const toSend = flow && !template.repeated ? withFlowToken(template.row, filled, token) : filled
  return {
    message: { type: 'template', content },
    warnings: [],
    sendOptions: templateOptions(ctx, toSend, {
      accountId: account.id,
      isSecret: isSecret(template.row),
    }),
    mediaIds: filesOfTemplate(toSend),
  }
}
