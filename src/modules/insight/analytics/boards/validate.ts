import { fieldSentence, InvalidError } from '../../../../lib/errors'
import { isUuid, normalizeId } from '../../../../lib/ids'
import type { Ctx } from '../../../../infra/ctx'
import type { NewWidget, Widget } from './model'
import { FILTERS, metricsOf, sizeOf, type FilterRule } from './widgets'
import { liveIds } from './targets'

interface Problem {
  path: string
  message: string
}

/**
 * Returns the widgets of a board as they are stored. `kept` holds the IDs that filters of the stored
 * board point at: they stay valid after their things are deleted, so that the board can be changed.
 * Throws InvalidError that lists unknown metrics and filters, IDs of things that do not exist in the
 * organization, and widgets with the same ID.
 */
export function readWidgets(
  ctx: Ctx,
  widgets: readonly NewWidget[],
  kept: ReadonlySet<string>,
): Widget[] {
  const problems: Problem[] = []
  const used = new Set<string>()
  const read = widgets.map((widget, nth): Widget => {
    const path = `body.widgets.${nth}`
    const id = widget.id ?? ctx.ids.next()
    if (used.has(id)) problems.push({ path: `${path}.id`, message: 'is used by another widget' })
    used.add(id)
    if (!metricsOf(widget.report).has(widget.metric))
      problems.push({
        path: `${path}.metric`,
        message: `is no field of the report \`${widget.report}\`, such as one of its summary`,
      })
    const { title, report, metric, kind, period, filters = {}, compare = false } = widget
    const { size = sizeOf(widget) } = widget
    return {
      ...{ id, title, report, metric, kind, period, size, compare },
      filters: Object.fromEntries(
        Object.entries(filters).map(([name, value]) => {
          const rule = FILTERS[report][name]
          const message = problemOf(ctx, { rule, value, report, kept })
          if (message !== null) problems.push({ path: `${path}.filters.${name}`, message })
          return [name, rule && 'target' in rule ? normalizeId(String(value)) : value]
        }),
      ),
    }
  })
  const [first] = problems
  if (first) throw new InvalidError(fieldSentence(first.path, first.message), { errors: problems })
  return read
}

function problemOf(
  ctx: Ctx,
  {
    rule,
    value,
    report,
    kept,
  }: {
    rule: FilterRule | undefined
    value: unknown
    report: NewWidget['report']
    kept: ReadonlySet<string>
  },
): string | null {
  if (!rule) return `is no filter of the report \`${report}\``
  if ('values' in rule)
    return rule.values.includes(String(value)) ? null : `must be one of ${rule.values.join(', ')}`
  const id = normalizeId(String(value))
  const isKnown = isUuid(id) && (kept.has(id) || liveIds(ctx, rule.target, [id]).has(id))
  return isKnown ? null : `is not the ID of ${NAMES[rule.target]} of this organization`
}

const NAMES = {
  ...{ account: 'a phone number', team: 'a team', flow: 'a bot flow' },
  ...{ member: 'a member', tag: 'a tag', campaign: 'a campaign' },
} as const
