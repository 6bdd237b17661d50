import { type Button, type Component } from './components'
import { readComponents } from './read-components'
import { type FlowIds, toWireComponents } from './wire-format'

/**
 * Normalizes components for comparison: drops fields that vary between responses or are written by
 * the platform. Equal results mean the same template.
 */
export function normalizeForComparison(
  components: readonly Component[],
  category: string,
  flows: FlowIds,
): Component[] {
  const isAuthentication = category.toUpperCase() === 'AUTHENTICATION'
  return readComponents(toWireComponents(components, flows), category, flows).map((component) =>
    normalizeComponent(component, isAuthentication),
  )
}

function normalizeComponent(component: Component, isAuthentication: boolean): Component {
  switch (component.type) {
    case 'HEADER': {
      if (!('example' in component) || component.format === 'TEXT') return component
      return { type: component.type, format: component.format }
    }
    case 'BODY':
      return isAuthentication
        ? {
            type: component.type,
            add_security_recommendation: component.add_security_recommendation === true,
          }
        : component
    case 'FOOTER': {
      if (!isAuthentication || component.code_expiration_minutes === undefined) return component
      return { type: component.type, code_expiration_minutes: component.code_expiration_minutes }
    }
    case 'BUTTONS':
      return { type: component.type, buttons: component.buttons.map(normalizeButton) }
    case 'CAROUSEL':
      return {
        type: component.type,
        cards: component.cards.map((card) => ({
          components: card.components.map((part) => normalizeComponent(part, false) as typeof part),
        })),
      }
    default:
      return component
  }
}

/** The platform replaces a Flow's inline JSON with an ID, and fills in default labels. */
function normalizeButton(button: Button): Button {
  if (button.type === 'FLOW') {
    const {
      flow_json: _json,
      flow_id: _id,
      flow_name: _name,
      flow_action: _action,
      ...rest
    } = button
    return rest
  }
  if (button.type === 'OTP' || button.type === 'COPY_CODE') {
    const { text: _text, ...rest } = button
    return rest as Button
  }
  return button
}
