import { findText } from '../texts/texts'

/** Returns what people call a role in the routing of a phone number. */
export const roleName = (role: string): string => findText(`parts.role.${role}`) ?? role

/** Returns what people call a role of the organization: system roles have names in every language. */
export const roleTitle = (role: { name: string; is_system: boolean }): string =>
  (role.is_system ? findText(`settings.roles.system.${role.name}`) : null) ?? role.name

/** Returns what people call a role of which only the name is known. */
export const roleTitleOf = (name: string): string => roleTitle({ name, is_system: true })
