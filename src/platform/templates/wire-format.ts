import { type JsonObject } from '../lenient-json'
import { componentOf, type Button, type Component, type Header } from './components'

/** Maps our Flow IDs to the platform's and back. Unknown IDs stay unchanged. */
export interface FlowIds {
  toPlatformId(flowId: string): string
  toLocalId(platformId: string): string
}

/** Converts stored components to the platform's format (platform documentation 4.3). */
export const toWireComponents = (components: readonly Component[], flows: FlowIds): JsonObject[] =>
  components.map((component) => toWireComponent(component, flows))

function toWireComponent(component: Component, flows: FlowIds): JsonObject {
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
        buttons: component.buttons.map((button) => toWireButton(button, flows)),
      }
    case 'CAROUSEL':
      return {
        type: component.type,
        cards: component.cards.map((card) => ({
          components: toWireComponents(card.components, flows),
        })),
      }
    default:
      return { ...component }
  }
}

function toWireButton(button: Button, flows: FlowIds): JsonObject {
  if (button.type !== 'FLOW') return { ...button }
  const { flow_id: flowId, screen, ...rest } = button
  return {
    ...rest,
    ...(flowId === undefined ? {} : { flow_id: flows.toPlatformId(flowId) }),
    ...(screen === undefined ? {} : { navigate_screen: screen }),
  }
}

/** Merges the platform's components with the header files that only we know. */
export const withStoredFiles = (
  toPlatformId: readonly Component[],
  toLocalId: readonly Component[],
): Component[] =>
  toPlatformId.map((component) => {
    if (component.type === 'HEADER')
      return storedHeader(component, componentOf(toLocalId, 'HEADER'))
    if (component.type !== 'CAROUSEL') return component
    const storedCards = componentOf(toLocalId, 'CAROUSEL')?.cards ?? []
    return {
      ...component,
      cards: component.cards.map((card, index) => ({
        components: withStoredFiles(
          card.components,
          storedCards[index]?.components ?? [],
        ) as typeof card.components,
      })),
    }
  })

const storedHeader = (toPlatformId: Header, toLocalId: Header | undefined): Header =>
  toLocalId !== undefined && toLocalId.format === toPlatformId.format && toLocalId.format !== 'TEXT'
    ? toLocalId
    : toPlatformId
