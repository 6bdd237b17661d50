import { type JsonObject } from '../lenient-json'
import { componentOf, type Button, type Component, type Header } from './components'

/** Maps our Flow IDs to the platform's and back. Unknown IDs stay unchanged. */
export interface FlowIds {
  theirs(flowId: string): string
  ours(platformId: string): string
}

/** Converts stored components to the platform's format (platform documentation 4.3). */
export const wireComponents = (components: readonly Component[], flows: FlowIds): JsonObject[] =>
  components.map((component) => wireComponent(component, flows))

function wireComponent(component: Component, flows: FlowIds): JsonObject {
  switch (component.type) {
    case 'HEADER': {
      if (!('media_id' in component)) return { ...component }
      const { media_id: _ours, ...rest } = component
      return rest
    }
    case 'LIMITED_TIME_OFFER':
      return {
        type: component.type,
        limited_time_offer: { text: component.text, has_expiration: component.has_expiration },
      }
    case 'BUTTONS':
      return {
        type: component.type,
        buttons: component.buttons.map((button) => wireButton(button, flows)),
      }
    case 'CAROUSEL':
      return {
        type: component.type,
        cards: component.cards.map((card) => ({
          components: wireComponents(card.components, flows),
        })),
      }
    default:
      return { ...component }
  }
}

function wireButton(button: Button, flows: FlowIds): JsonObject {
  if (button.type !== 'FLOW') return { ...button }
  const { flow_id: flowId, screen, ...rest } = button
  return {
    ...rest,
    ...(flowId === undefined ? {} : { flow_id: flows.theirs(flowId) }),
    ...(screen === undefined ? {} : { navigate_screen: screen }),
  }
}

/** Merges the platform's components with the header files that only we know. */
export const withOurFiles = (
  theirs: readonly Component[],
  ours: readonly Component[],
): Component[] =>
  theirs.map((component) => {
    if (component.type === 'HEADER') return ownHeader(component, componentOf(ours, 'HEADER'))
    if (component.type !== 'CAROUSEL') return component
    const own = componentOf(ours, 'CAROUSEL')?.cards ?? []
    return {
      ...component,
      cards: component.cards.map((card, index) => ({
        components: withOurFiles(
          card.components,
          own[index]?.components ?? [],
        ) as typeof card.components,
      })),
    }
  })

const ownHeader = (theirs: Header, ours: Header | undefined): Header =>
  ours !== undefined && ours.format === theirs.format && ours.format !== 'TEXT' ? ours : theirs
