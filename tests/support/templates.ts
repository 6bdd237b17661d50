import type { Loose } from './client'
import type { World } from './world'

/** A template as {@link approvedTemplate} takes it: what is left out is a plain utility template. */
export type TemplateParts = Partial<Record<'name' | 'language' | 'category' | 'header_media_id', string>> & { components: Loose[] }

let made = 0

/** Drafts a template over the API; a manager does unless somebody else is named. */
export async function draftTemplate(world: World, parts: TemplateParts): Promise<Loose> {
  const manager = await world.as('manager')
  const answer = await manager.post('/api/templates', {
    account_id: world.tenant.accountId,
    name: `template_${(made += 1)}`,
    language: 'en_US',
    category: 'UTILITY',
    ...parts,
  })
  if (answer.status !== 201) throw new Error(`the draft was answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.data
}

/** A template that the platform has approved. */
export async function approvedTemplate(world: World, parts: TemplateParts): Promise<Loose> {
  const { id } = await draftTemplate(world, parts)
  world.rows("update templates set status = 'APPROVED', published_components = components where id = ?", id as string)
  return (await (await world.as('manager')).get(`/api/templates/${id}`)).data
}
