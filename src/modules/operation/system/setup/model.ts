import { Type, type Static } from '@sinclair/typebox'

/** The steps of a new organization, in their order, and those of a new installation. */
export const SETUP_STEPS = [
  'own_password',
  'number_connected',
  'webhook_seen',
  'first_message',
  'colleague_invited',
  'template_synced',
  'base_url_matches',
  'mail_configured',
  'backup_elsewhere',
] as const
export type SetupStep = (typeof SETUP_STEPS)[number]

/** The first steps of an organization. */
export const SetupView = Type.Object(
  {
    steps: Type.Array(
      Type.Object({
        key: Type.String({ enum: [...SETUP_STEPS] }),
        done: Type.Boolean(),
        why: Type.String({ description: 'Why the step matters, or what is wrong.' }),
        link: Type.String({ description: 'Page of the console, or of the handbook.' }),
      }),
      { description: 'Super admins also see the steps of the installation.' },
    ),
    dismissed: Type.Boolean({ description: 'Whether somebody hid the checklist.' }),
  },
  { title: 'Setup' },
)
export type SetupView = Static<typeof SetupView>

/** Body to hide the checklist or to show it again. */
export const SetupChange = Type.Object(
  { dismissed: Type.Boolean() },
  { title: 'SetupChange', examples: [{ dismissed: true }] },
)
