import { databaseRoles } from '@offizin/local-stack/database-roles';
import { postgresSettings } from '@offizin/local-stack/postgres-settings';
import { describeWithout } from '@offizin/testkit/programs';
import { manifestsOf, named, renderProblem } from './rendered-manifests';

/** The example of CloudNativePG against the code. Its kinds have no schema here; the operator refuses unknown fields. */
/** The operator sets them, all to on. */
const SET_BY_OPERATOR = ['fsync', 'synchronous_commit', 'full_page_writes'];

describeWithout(renderProblem, 'the example of CloudNativePG', () => {
  const manifests = manifestsOf('examples/cloudnative-pg');
  const cluster = named(manifests, 'Cluster', 'postgres').spec as {
    instances: number;
    resources: { limits: { memory: string } };
    bootstrap: {
      initdb: { postInitApplicationSQLRefs: { configMapRefs: { name: string; key: string }[] } };
    };
    postgresql: { synchronous: object; parameters: Record<string, string> };
    managed: { roles: { name: string }[] };
    plugins: { isWALArchiver: boolean; parameters: { barmanObjectName: string } }[];
  };

  it('runs PostgreSQL with the settings of npm start, for its limit of memory', () => {
    const memoryMb = 1_024 * Number(/^(\d+)Gi$/.exec(cluster.resources.limits.memory)?.[1]);
    const settings = Object.entries(postgresSettings(memoryMb));
    const wanted = settings.filter(([name]) => !SET_BY_OPERATOR.includes(name));
    expect(cluster.postgresql.parameters).toEqual({
      ...Object.fromEntries(wanted),
      archive_timeout: '60s',
      hot_standby_feedback: 'on',
    });
  });

  it('has a synchronous standby, and makes the roles by the very file of deploy/postgres', () => {
    expect(cluster.instances).toBe(3);
    expect(cluster.postgresql.synchronous).toEqual({
      method: 'any',
      number: 1,
      dataDurability: 'required',
    });
    expect(cluster.managed.roles.map(({ name }) => name)).toEqual(Object.values(databaseRoles));
    const [{ name, key } = { name: '', key: '' }] =
      cluster.bootstrap.initdb.postInitApplicationSQLRefs.configMapRefs;
    expect(named(manifests, 'ConfigMap', name).data?.[key]).toContain('CREATE ROLE');
  });

  it('archives every change where the nightly backup goes', () => {
    const [archiver] = cluster.plugins;
    expect(archiver?.isWALArchiver).toBe(true);
    named(manifests, 'ObjectStore', archiver?.parameters.barmanObjectName ?? '');
    expect(named(manifests, 'ScheduledBackup', 'nightly').spec).toMatchObject({
      cluster: { name: 'postgres' },
      method: 'plugin',
    });
  });
});
