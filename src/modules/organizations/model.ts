import { Type, type Static } from '@sinclair/typebox'

/** An organization (spec 2.2). */
export const OrganizationView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    slug: Type.String({ description: 'From the name, with a random suffix; stays when the name changes.' }),
    created_at: Type.String({ format: 'date-time' }),
  },
  {
    title: 'Organization',
    examples: [
      { id: '019a52b0-1c00-7000-8000-000000000001', name: 'Acme Corp', slug: 'acme-corp-k3v9x2ab', created_at: '2026-11-21T09:30:00.000Z' },
    ],
  },
)
export type OrganizationView = Static<typeof OrganizationView>

/** Settings of an organization (spec 2.3). */
export const OrganizationSettings = Type.Object({
  mask_phone_numbers: Type.Boolean({
    description: 'Whether callers without contacts:unmask see only the last four digits of phone numbers.',
  }),
  timezone: Type.String({ description: 'Region/city name of the IANA list, or UTC.' }),
  date_format: Type.String(),
  registration_policy: Type.String({ enum: ['open', 'invitation', 'closed'] }),
})
export type OrganizationSettings = Static<typeof OrganizationSettings>
