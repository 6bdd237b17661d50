import type { Call } from './calls'
import { refusal } from './errors'
import type { Answer } from './messages'
import { rejected } from './messages'
import { parametersOf } from './parameters'
import type { StoredTemplate } from './template-store'
import type { World } from './world'

/** How long an archived template is kept, milliseconds. */
const KEPT_MS = 28 * 24 * 60 * 60 * 1000

const MOST = 100

/** Moves a template to the archive. */
export function archive(world: World, template: StoredTemplate): void {
  template.archived = { atMs: world.nowMs(), from: template.status }
  template.status = 'ARCHIVED'
}

/** Brings a template back from the archive, with the status that it had. */
export function restore(template: StoredTemplate): void {
  template.status = template.archived?.from ?? 'APPROVED'
  delete template.archived
}

/**
 * `/{waba}/message_templates/archive` and `…/unarchive`, without a version: moves templates to the
 * archive or back. What cannot be moved is listed with the reason.
 */
export function archiveTemplates(world: World, call: Call): Answer {
  const isBack = call.path.endsWith('/unarchive')
  const { hsm_ids: given, ...more } = parametersOf(call)
  const [foreign] = Object.keys(more)
  const no = (message: string): Answer => rejected(world, refusal({ code: 100, message }))
  if (foreign !== undefined) return no(`(#100) Unexpected key "${foreign}" on param.`)
  if (typeof given !== 'string' || !/^\d+(,\d+)*$/.test(given))
    return no('(#100) Param hsm_ids must be a list of template IDs, separated by commas.')
  const ids = given.split(',')
  if (ids.length > MOST) return no(`(#100) At most ${MOST} templates at a time.`)
  const moved: string[] = []
  const failed: Record<string, string> = {}
  for (const id of ids) {
    const reason = move(world, world.templateStore.byId(id), { isBack, wabaId: call.object ?? '' })
    if (reason === null) moved.push(id)
    else failed[id] = reason
  }
  const name = isBack ? 'unarchived_templates' : 'archived_templates'
  return { status: 200, body: { [name]: moved, failed_templates: failed } }
}

function move(
  world: World,
  template: StoredTemplate | undefined,
  { isBack, wabaId }: { isBack: boolean; wabaId: string },
): string | null {
  if (template === undefined || template.wabaId !== wabaId) return 'Template not found.'
  if (isBack) {
    if (template.status !== 'ARCHIVED') return 'Only archived templates can be unarchived.'
    if (world.nowMs() - (template.archived?.atMs ?? 0) > KEPT_MS) return 'Template not found.'
    restore(template)
    return null
  }
  if (!['APPROVED', 'REJECTED', 'FLAGGED', 'REINSTATED'].includes(template.status))
    return 'Only approved or rejected templates can be archived.'
  archive(world, template)
  return null
}
