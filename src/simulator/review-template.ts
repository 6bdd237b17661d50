import { deliver, seconds, type World } from './world'
import { archive, restore } from './template-archive'
import { type StoredTemplate } from './template-store'

/** Result of a review or of quality monitoring. */
export type Verdict = {
  /**
   * APPROVED, REJECTED, PAUSED, DISABLED, FLAGGED, REINSTATED, …; an UNPAUSE is indicated by the
   * title.
   */
  event: string
  reason?: string | null
  title?: string
  rejection?: { reason: string; recommendation: string }
  category?: string
  /** Platform time in Unix seconds; defaults to now. */
  at?: number
}

/** Sends a webhook about a template. Resolves when it was answered. */
export async function sendTemplateWebhook(
  world: World,
  template: StoredTemplate,
  field: string,
  value: Record<string, unknown>,
  at?: number,
): Promise<void> {
  const [phone] = world.accounts.phonesOf(template.wabaId)
  if (phone === undefined) throw new Error(`No number of ${template.wabaId} is registered`)
  await deliver(world, phone, {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: template.wabaId,
        time: at ?? seconds(world),
        changes: [
          {
            field,
            value: {
              ...value,
              message_template_id: Number(template.id),
              message_template_name: template.name,
              message_template_language: template.language.replaceAll('_', '-'),
            },
          },
        ],
      },
    ],
  } as never)
}

/** Sets the review result of a template and sends the webhook. */
export async function review(
  world: World,
  template: StoredTemplate,
  verdict: Verdict,
): Promise<void> {
  const { event, reason = 'NONE', title, rejection, category, at } = verdict
  if (event === 'ARCHIVED') archive(world, template)
  else if (event === 'UNARCHIVED') restore(template)
  else template.status = title === 'UNPAUSE' ? 'APPROVED' : event
  template.reason = reason ?? 'NONE'
  if (category !== undefined) template.category = category
  await sendTemplateWebhook(
    world,
    template,
    'message_template_status_update',
    {
      event,
      reason,
      message_template_category: template.category,
      ...(title === undefined ? {} : { other_info: { title, description: 'Quality' } }),
      ...(rejection === undefined ? {} : { rejection_info: rejection }),
    },
    at,
  )
}
