import { findText } from '../texts/texts'

/** Returns what people call a role in the routing of a phone number. */
export const roleName = (role: string): string => findText(`parts.role.${role}`) ?? role
