import { lengthOf } from '../../../../lib/input-problems'
import { numberOf, wordOf } from '../../../../platform/lenient-json'
import type {
  TemplateParameter,
  TemplateComponentParameters,
} from '../../../../platform/send/template'
import {
  headerKind,
  mediaFormatOf,
  variablesOf,
  type Header,
} from '../../../../platform/templates/components'
import type { Findings } from './values'
import { type CardValues, type HeaderFile } from './values'
import { type RenderedHeader, NO_VALUES, type At } from './rendered'
import { MAX_LENGTH, fillVariables } from './body'

/** Fills in a header: text, file, location or product. */
export function fillHeader(
  findings: Findings,
  header: Header | undefined,
  values: CardValues,
  at: At,
): { part: TemplateComponentParameters | null; rendered: RenderedHeader | null } {
  const path = `${at.root}.header_params`
  const label = `${at.label}header_params.`
  const given = values.header ?? NO_VALUES
  const format = mediaFormatOf(header)
  if (format === null && values.file)
    findings.refuses(
      `${at.root}.header_media_id`,
      "cannot be used because the template's header has no file",
    )
  if (header === undefined || format !== null)
    for (const key of Object.keys(given))
      findings.refuses(`${path}.${key}`, 'is not a variable of the template: its header has none')
  if (header === undefined) return { part: null, rendered: null }
  if (format !== null) return fillFile(findings, headerKind(format), values.file ?? null, at)
  if (header.format === 'LOCATION') return fillLocation(findings, given, { path, label })
  if (header.format === 'PRODUCT') return fillProduct(findings, given, { path, label })
  const text = header.format === 'TEXT' ? header.text : ''
  const named = variablesOf(text).some((name) => !/^\d+$/.test(name))
  const filled = fillVariables(findings, text, {
    values: given,
    path,
    label,
    format: named ? 'named' : 'positional',
  })
  const isComplete = filled.parameters.length === variablesOf(text).length
  if (isComplete && filled.parameters.length > 0 && lengthOf(filled.text) > MAX_LENGTH.header)
    findings.refuses(
      path,
      `must leave the header with at most ${MAX_LENGTH.header} characters; with these values it ` +
        `has ${lengthOf(filled.text)}`,
    )
  return {
    part: filled.parameters.length === 0 ? null : { type: 'header', parameters: filled.parameters },
    rendered: filled.text,
  }
}

function fillFile(
  findings: Findings,
  kind: 'image' | 'video' | 'document',
  file: HeaderFile | null,
  at: At,
): { part: TemplateComponentParameters | null; rendered: RenderedHeader } {
  if (file === null) {
    findings.lacks(`${at.root}.header_media_id`, `${at.label}header_media_id`)
    return { part: null, rendered: { type: kind, media_id: null, filename: null } }
  }
  // The platform rejects a document without a filename.
  const filename = kind === 'document' ? { filename: file.filename ?? 'document' } : {}
  const parameter: TemplateParameter = {
    type: kind,
    [kind]: { media_id: file.mediaId, ...filename },
  }
  return {
    part: { type: 'header', parameters: [parameter] },
    rendered: { type: kind, media_id: file.mediaId, filename: filename.filename ?? file.filename },
  }
}

function fillLocation(
  findings: Findings,
  given: Record<string, unknown>,
  { path, label }: { path: string; label: string },
): { part: TemplateComponentParameters | null; rendered: RenderedHeader | null } {
  const known = ['latitude', 'longitude', 'name', 'address']
  for (const key of Object.keys(given))
    if (!known.includes(key))
      findings.refuses(`${path}.${key}`, `is not a part of a location; use ${known.join(', ')}`)
  const degrees = (key: 'latitude' | 'longitude', max: number): number => {
    const value = numberOf(given[key])
    if (given[key] === undefined || given[key] === null)
      findings.lacks(`${path}.${key}`, `${label}${key}`)
    else if (value === null || Math.abs(value) > max)
      findings.refuses(`${path}.${key}`, `must be a number from -${max} to ${max}`)
    return value ?? 0
  }
  const place = {
    latitude: degrees('latitude', 90),
    longitude: degrees('longitude', 180),
    name: wordOf(given['name']),
    address: wordOf(given['address']),
  }
  const filled = Object.fromEntries(Object.entries(place).filter(([, value]) => value !== null))
  return {
    part: { type: 'header', parameters: [{ type: 'location', location: filled }] },
    rendered: { type: 'location', ...place },
  }
}

function fillProduct(
  findings: Findings,
  given: Record<string, unknown>,
  { path, label }: { path: string; label: string },
): { part: TemplateComponentParameters | null; rendered: RenderedHeader } {
  const word = (key: string): string => {
    const value = wordOf(given[key])
    if (value === null) findings.lacks(`${path}.${key}`, `${label}${key}`)
    return value ?? ''
  }
  const product = {
    catalog_id: word('catalog_id'),
    product_retailer_id: word('product_retailer_id'),
  }
  return {
    part: { type: 'header', parameters: [{ type: 'product', product }] },
    rendered: { type: 'product', ...product },
  }
}
