import { listOf, objectOf, wordOf, type JsonObject } from '../../../../platform/lenient-json'
import { MEDIA_FORMATS, type Header } from '../../../../platform/templates/components'
import { checkVariables, LIMITS, readExamples, readText, type TextReading } from './texts'

/** Reads a HEADER component and reports its errors; `null` if its format is unknown. */
export function readHeader(
  reading: TextReading,
  path: string,
  component: JsonObject,
): Header | null {
  const format = (wordOf(component.format) ?? 'TEXT').toUpperCase()
  const media = MEDIA_FORMATS.find((known) => known === format)
  if (media !== undefined) {
    const handles = handlesOf(component.example)
    const mediaId = wordOf(component.media_id)
    return {
      type: 'HEADER',
      format: media,
      ...(handles.length === 0 ? {} : { example: { header_handle: handles } }),
      ...(mediaId === null ? {} : { media_id: mediaId }),
    }
  }
  if (format === 'LOCATION' || format === 'PRODUCT') return { type: 'HEADER', format }
  if (format !== 'TEXT') {
    reading.report(
      `${path}.format`,
      `must be one of TEXT, ${MEDIA_FORMATS.join(', ')}, LOCATION, PRODUCT`,
    )
    return null
  }
  const text = readText(reading, `${path}.text`, component.text, LIMITS.header)
  const names = checkVariables(reading, `${path}.text`, text)
  if (names.length > 1) reading.report(`${path}.text`, 'allows one variable at most')
  if (/\n/.test(text)) reading.report(`${path}.text`, 'must be one line')
  const example = readExamples(reading, { path, component: 'HEADER' }, names, component.example)
  return { type: 'HEADER', format, text, ...(example ? { example } : {}) }
}

const handlesOf = (example: unknown): string[] => {
  const { header_handle } = objectOf(example)
  return (Array.isArray(header_handle) ? listOf(header_handle) : [header_handle])
    .map(wordOf)
    .filter((handle) => handle !== null)
}
