/**
 * All permissions, as keys. The catalogue (`modules/organization/roles/catalog.ts`) declares them. It is in a
 * higher layer, so this interface lets lower layers use only existing permissions.
 */
export interface PermissionCatalogue {}

/** A permission of the catalogue: `resource:action`. */
export type Permission = Extract<keyof PermissionCatalogue, string>
