import type {
  TemplateComponent,
  TemplateComponentParameters,
} from '../../../../platform/send/template'
import { componentOf, type Card } from '../../../../platform/templates/components'
import { fillButtons } from './buttons'
import type { Findings } from './values'
import { type CardValues, type TemplateValues } from './values'
import { type SentTemplate, type RenderedCard, NO_VALUES } from './rendered'
import { fillBody } from './body'
import { fillHeader } from './header'

/** Fills in the cards of a carousel; `part` is `null` without a carousel. */
export function fillCards(
  findings: Findings,
  template: SentTemplate,
  { cards: given = [] }: TemplateValues,
): { part: TemplateComponent | null; rendered: RenderedCard[] } {
  const cards = componentOf(template.components, 'CAROUSEL')?.cards ?? []
  if (cards.length === 0) {
    if (given.length > 0)
      findings.refuses('body.cards', 'cannot be used because the template has no cards')
    return { part: null, rendered: [] }
  }
  if (given.length > cards.length)
    findings.refuses(
      'body.cards',
      `must have at most ${cards.length} items, the number of cards of the template`,
    )
  const filled = cards.map((card, index) =>
    fillCard(findings, template, card, { index, values: given[index] ?? {} }),
  )
  return {
    part: {
      type: 'carousel',
      cards: filled.map(({ parts }, index) => ({ card_index: index, components: parts })),
    },
    rendered: filled.map(({ rendered }) => rendered),
  }
}

function fillCard(
  findings: Findings,
  template: SentTemplate,
  card: Card,
  { index, values }: { index: number; values: CardValues },
): { parts: TemplateComponentParameters[]; rendered: RenderedCard } {
  const at = { root: `body.cards.${index}`, label: `cards.${index}.` }
  const header = fillHeader(findings, componentOf(card.components, 'HEADER'), values, at)
  const body = fillBody(findings, template, componentOf(card.components, 'BODY'), values, at)
  const buttons = fillButtons(findings, componentOf(card.components, 'BUTTONS')?.buttons ?? [], {
    path: `${at.root}.button_params`,
    label: `${at.label}button_params`,
    values: values.buttons ?? NO_VALUES,
    flow: NO_VALUES,
    code: null,
  })
  const parts = [header.part, body.part, ...buttons.parts].filter((part) => part !== null)
  return {
    parts,
    rendered: { header: header.rendered, body: body.text, buttons: buttons.rendered },
  }
}
