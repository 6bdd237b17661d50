import type { Template } from '../../api/shapes'
import { wordsOfName } from '../../texts/name-words'

type Named = Pick<Template, 'name' | 'display_name'>

/** Returns what people call a template: a name that WhatsApp gave it becomes words. */
export const titleOf = ({ name, display_name: title }: Named): string =>
  title === name ? wordsOfName(name) : title

/** Returns by which name programs know a template, or `null` if people call it the same. */
export const technicalNameOf = (template: Named): string | null =>
  titleOf(template) === template.name ? null : template.name
