import type { InteractiveContent } from '../../../../../platform/send/content'
import { LIMITS, MAX_COUNTS } from '../rules'
import type { InteractiveInput } from './model'
import {
  reportDuplicates,
  boundedList,
  requiredText,
  optionalText,
  type Report,
} from '../../../../../lib/input-problems'

export const INTERACTIVE_PATH = 'body.interactive'
const SOME_SECTIONS: [number, number] = [1, MAX_COUNTS.sections]

/** Reads the reply buttons of an interactive message. */
export function readButtons(
  report: Report,
  buttons: InteractiveInput['buttons'],
): { id: string; title: string }[] {
  const path = `${INTERACTIVE_PATH}.buttons`
  const read = boundedList(report, path, buttons, [1, MAX_COUNTS.buttons]).map((button, index) => ({
    id: requiredText(report, `${path}.${index}.id`, button.id, LIMITS.buttonId),
    title: requiredText(report, `${path}.${index}.title`, button.title, LIMITS.buttonTitle),
  }))
  for (const name of ['id', 'title'] as const)
    reportDuplicates(
      report,
      read.map((button, index) => ({ path: `${path}.${index}.${name}`, value: button[name] })),
    )
  return read
}

type Sections = InteractiveInput['sections']
type Section = NonNullable<Sections>[number]

/**
 * Reads the sections. Titles are required if there is more than one section; `read` reads the rest
 * of each.
 */
function readSections<T>(
  report: Report,
  sections: Sections,
  read: (section: Section, at: string) => T,
): ({ title: string | null } & T)[] {
  const path = `${INTERACTIVE_PATH}.sections`
  const found = boundedList(report, path, sections, SOME_SECTIONS)
  return found.map((section, index) => {
    const at = `${path}.${index}`
    const title =
      found.length > 1
        ? requiredText(report, `${at}.title`, section.title, LIMITS.sectionTitle)
        : optionalText(report, `${at}.title`, section.title, LIMITS.sectionTitle)
    return { title, ...read(section, at) }
  })
}

/** Reads the sections of a list message. */
export function readRows(
  report: Report,
  sections: Sections,
): Extract<InteractiveContent, { kind: 'list' }>['sections'] {
  const ids: { path: string; value: string }[] = []
  const read = readSections(report, sections, (section, at) => ({
    rows: boundedList(report, `${at}.rows`, section.rows, [1, MAX_COUNTS.rows]).map(
      (row, index) => {
        const place = `${at}.rows.${index}`
        const id = requiredText(report, `${place}.id`, row.id, LIMITS.rowId)
        ids.push({ path: `${place}.id`, value: id })
        const title = requiredText(report, `${place}.title`, row.title, LIMITS.rowTitle)
        return {
          id,
          title,
          description: optionalText(
            report,
            `${place}.description`,
            row.description,
            LIMITS.rowDescription,
          ),
        }
      },
    ),
  }))
  reportDuplicates(report, ids)
  if (ids.length > MAX_COUNTS.rows)
    report(`${INTERACTIVE_PATH}.sections`, `must have at most ${MAX_COUNTS.rows} rows in total`)
  return read
}

/** Reads the sections of a product list. */
export function readProducts(
  report: Report,
  sections: Sections,
): Extract<InteractiveContent, { kind: 'product_list' }>['sections'] {
  const read = readSections(report, sections, (section, at) => ({
    product_retailer_ids: boundedList(
      report,
      `${at}.product_retailer_ids`,
      section.product_retailer_ids,
      [1, MAX_COUNTS.products],
    ).map((id, index) =>
      requiredText(report, `${at}.product_retailer_ids.${index}`, id, LIMITS.productId),
    ),
  }))
  const count = read.reduce((sum, section) => sum + section.product_retailer_ids.length, 0)
  if (count > MAX_COUNTS.products)
    report(
      `${INTERACTIVE_PATH}.sections`,
      `must have at most ${MAX_COUNTS.products} products in total`,
    )
  return read
}
