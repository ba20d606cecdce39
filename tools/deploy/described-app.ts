import type { AppName } from '@offizin/local-stack/apps';

/** The description of one app in docker-compose.yml or a Kubernetes manifest, in a common form. */
export interface DescribedApp {
  /** For messages: `docker-compose.yml, gateway`. */
  where: string;
  app: AppName;
  /** It only migrates, and ends. */
  migration: boolean;
  image: string;
  environment: Record<string, string>;
  /** Path of each file that holds a secret, and the name of that secret (see installation-secrets.ts). */
  secretFiles: Record<string, string>;
  probes: { path: string; port: number | undefined }[];
  /** Ports on which others find it, by the name under which they look for it. */
  servedPorts: number[];
  graceSeconds: number;
  /** Pause before the signal to end. */
  preStopSeconds: number;
  hardening: {
    readOnlyRoot: boolean;
    noNewPrivileges: boolean;
    dropsAllCapabilities: boolean;
  };
}
