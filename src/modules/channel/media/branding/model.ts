import { Type, type Static } from '@sinclair/typebox'

const textOrNull = Type.Union([Type.String(), Type.Null()])

/** How an organization looks. */
export const BrandingView = Type.Object(
  {
    name: Type.String({ description: 'Name of the organization.' }),
    logo_url: Type.Union([Type.String(), Type.Null()], {
      description: 'Path of the logo on this server, readable by everybody.',
      examples: ['/api/logos/3f9a1c0d5b7e42868d0f6f1f4c1f9a2e'],
    }),
    accent: Type.Union(textOrNull.anyOf, { description: 'Color as `#rrggbb`.' }),
  },
  { title: 'Branding' },
)
export type BrandingView = Static<typeof BrandingView>

/** A color on which white text can be read, or `null` for the product's. */
export const Accent = Type.Union([Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }), Type.Null()], {
  description: 'Color as `#rrggbb` with a contrast of at least 4.5:1 to white. `null` removes it.',
})
