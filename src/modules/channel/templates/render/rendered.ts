import type { TemplateComponent } from '../../../../platform/send/template'
import type { Component, ParameterFormat } from '../../../../platform/templates/components'
import type { RenderedButton } from './buttons'
import type { Findings } from './values'

/** The version of a template that is sent. */
export interface SentTemplate {
  name: string
  language: string
  category: string
  parameterFormat: ParameterFormat
  /** The published components. */
  components: readonly Component[]
}

/** The header the customer sees. */
export type RenderedHeader =
  | string
  | { type: 'image' | 'video' | 'document'; media_id: string | null; filename: string | null }
  | {
      type: 'location'
      latitude: number
      longitude: number
      name: string | null
      address: string | null
    }
  | { type: 'product'; catalog_id: string; product_retailer_id: string }

/** A card the customer sees. */
export interface RenderedCard {
  header: RenderedHeader | null
  body: string | null
  buttons: RenderedButton[]
}

/** A template the customer sees. One-time codes are masked. */
export interface RenderedTemplate extends RenderedCard {
  footer: string | null
  offer: { text: string; expires_at: string | null } | null
  cards: RenderedCard[]
}

/** The result of filling in a template, with missing and invalid values. */
export interface Filled {
  /**
   * Components for the platform; media IDs of files are still ours. Complete only if nothing is
   * missing or invalid.
   */
  parts: TemplateComponent[]
  rendered: RenderedTemplate
  findings: Findings
}

/** Mask for one-time codes in stored messages. */
export const HIDDEN_CODE = '••••'

export const NO_VALUES: Record<string, unknown> = {}

/** Path of the values in the request, and the prefix of their names. */
export interface At {
  root: string
  label: string
}
