import type { Static, TObject } from '@sinclair/typebox'
import { and, eq, isNull } from 'drizzle-orm'

import { readOrThrow } from '../../../../lib/input-problems'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { StagedFile } from '../../../../infra/files/staged-file'
import { accounts } from '../../../channel/accounts/table'
import type { RecipientInput } from '../../contacts/identities/resolve-recipient'
import type { TemplateMessageView } from '../model'
import { createTemplateMessage } from './create'
import type { MessageInput } from '../compose/input'
import { TEMPLATE_PARTS, type templateBody } from '../compose/model'
import { invalidField } from './choose-account'
import { parsedParts } from '../compose/template/read'

/** A template message as a request body; multipart forms send some fields as JSON text. */
type TemplateBody = Static<TObject<typeof templateBody>> & { file?: StagedFile | undefined }

/** Sends a template message. Throws as {@link createTemplateMessage}. */
export async function sendTemplate(
  ctx: Ctx,
  recipient: RecipientInput,
  body: TemplateBody,
): Promise<TemplateMessageView> {
  const { account_name: name, ...rest } = body
  // The JSON fields are parsed now.
  const parsed = readOrThrow((report) => parsedParts(report, rest, TEMPLATE_PARTS)) as MessageInput
  const accountId = rest.account_id ?? (name === undefined ? undefined : accountNamed(ctx, name))
  return await createTemplateMessage(ctx, recipient, {
    ...parsed,
    type: 'template',
    ...(accountId === undefined ? {} : { account_id: accountId }),
  })
}

function accountNamed(ctx: Ctx, name: string): string {
  const found = ctx.db.orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(
      inOrganization(
        ctx,
        accounts,
        and(eq(accounts.name, name.trim()), isNull(accounts.deletedAtMs)),
      ),
    )
    .get()
  if (!found) throw invalidField('body.account_name', 'is not a connected phone number')
  return found.id
}
