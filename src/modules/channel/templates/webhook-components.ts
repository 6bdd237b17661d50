import { isObject, listOf, textOf, type JsonObject } from '../../../platform/lenient-json'
import type { Button, Component } from '../../../platform/templates/components'

/** Returns a component with the texts from a components webhook. */
export function withNewTexts(component: Component, value: JsonObject): Component {
  switch (component.type) {
    case 'HEADER': {
      const text = textOf(value.message_template_title)
      return component.format === 'TEXT' && text !== null ? { ...component, text } : component
    }
    case 'BODY': {
      const text = textOf(value.message_template_element)
      return text === null ? component : { ...component, text }
    }
    case 'FOOTER': {
      const text = textOf(value.message_template_footer)
      return text === null ? component : { ...component, text }
    }
    case 'BUTTONS': {
      const listed = listOf(value.message_template_buttons).filter(isObject)
      return listed.length === component.buttons.length
        ? {
            ...component,
            buttons: component.buttons.map((button, index) =>
              withNewButtonTexts(button, listed[index] ?? {}),
            ),
          }
        : component
    }
    default:
      return component
  }
}

function withNewButtonTexts(button: Button, listed: JsonObject): Button {
  const [text, url] = [
    textOf(listed.message_template_button_text),
    textOf(listed.message_template_button_url),
  ]
  return {
    ...button,
    ...(text === null ? {} : { text }),
    ...(url === null || button.type !== 'URL' ? {} : { url }),
  }
}
