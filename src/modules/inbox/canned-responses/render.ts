import type { Ctx } from '../../../infra/ctx'
import { contactView, nameOf } from '../contacts/view'
import { getVisibleContact, masksNumbers } from '../contacts/visibility'
import type { RenderedResponse } from './model'
import { cannedResponseView, getCannedResponseRow } from './queries'

const PLACEHOLDER = /\{\{\s*(contact_name|phone_number|agent_name)\s*\}\}/g

/**
 * Returns a canned response with its placeholders replaced for a contact. Phone numbers are masked
 * as for the caller. Throws NotFoundError.
 */
export function renderCannedResponse(ctx: Ctx, id: string, contactId: string): RenderedResponse {
  const row = getCannedResponseRow(ctx, id)
  const found = getVisibleContact(ctx, contactId)
  const isMasked = masksNumbers(ctx)
  const contact = contactView(found, { isMasked, assignee: null })
  const words: Record<string, string> = {
    contact_name: nameOf(found, isMasked) ?? '',
    phone_number: contact.phone_number ?? '',
    agent_name: ctx.actor.userName ?? '',
  }
  const fill = (text: string): string =>
    text.replace(PLACEHOLDER, (_all, name: string) => words[name] ?? '')
  const { buttons } = cannedResponseView(row)
  return {
    content: fill(row.content),
    buttons: buttons.map((button) => ({ ...button, title: fill(button.title) })),
  }
}
