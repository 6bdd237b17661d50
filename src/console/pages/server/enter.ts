import { switchOrganization } from '../../api/session'

/** Enters an organization: the session moves there, and its inbox is shown. */
export async function enter(organizationId: string, show: () => Promise<void>): Promise<void> {
  await switchOrganization(organizationId)
  await show()
}
