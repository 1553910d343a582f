-- SPDX-License-Identifier: GPL-3.0-or-later
-- hammer.DB in the schema of HammerDB 4.x (its manual, "Jobs"): `sqlite3 hammerdb.db < hammerdb.sql`. Figures are made up.
-- Job A: TPROC-C, 1 minute of ramp-up and 2 of test; job B: the same with more users, as an older version puts its result;
-- job C: a check of a schema, which measures nothing; job D: TPROC-H, whose counter is queries an hour.
CREATE TABLE JOBMAIN(jobid TEXT PRIMARY KEY, db TEXT, bm TEXT, jobdict TEXT,
    timestamp DATETIME NOT NULL DEFAULT (datetime(CURRENT_TIMESTAMP, 'localtime')));
CREATE TABLE JOBTIMING(jobid TEXT, vu INTEGER, procname TEXT, calls INTEGER, min_ms REAL, avg_ms REAL, max_ms REAL,
    total_ms REAL, p99_ms REAL, p95_ms REAL, p50_ms REAL, sd REAL, ratio_pct REAL, summary INTEGER, elapsed_ms REAL,
    FOREIGN KEY(jobid) REFERENCES JOBMAIN(jobid));
CREATE TABLE JOBTCOUNT(jobid TEXT, counter INTEGER, metric TEXT, timestamp DATETIME NOT NULL,
    FOREIGN KEY(jobid) REFERENCES JOBMAIN(jobid));
CREATE TABLE JOBOUTPUT(jobid TEXT, vu INTEGER, output TEXT, FOREIGN KEY(jobid) REFERENCES JOBMAIN(jobid));
INSERT INTO JOBMAIN VALUES
    ('A', 'MariaDB', 'TPC-C', 'connection {maria_host localhost maria_pass maria}', '2026-01-31 10:00:00'),
    ('B', 'MariaDB', 'TPC-C', '', '2026-01-31 11:00:00'),
    ('C', 'MariaDB', 'TPC-C', '', '2026-01-31 12:00:00'),
    ('D', 'MariaDB', 'TPC-H', '', '2026-01-31 13:00:00');
INSERT INTO JOBOUTPUT VALUES
    ('A', 1, 'Beginning rampup time of 1 minutes'), ('A', 1, 'Timing test period of 2 in minutes'),
    ('A', 1, '4 Active Virtual Users configured'), ('A', 1, 'TEST RESULT : System achieved 12000 NOPM from 27900 MariaDB TPM'),
    ('B', 1, 'Beginning rampup time of 1 minutes'), ('B', 1, 'Timing test period of 2 in minutes'),
    ('B', 1, '8 Active Virtual Users configured'), ('B', 1, 'TEST RESULT : System achieved 42000 MariaDB TPM at 18100 NOPM'),
    ('C', 1, 'Schema check passed'),
    ('D', 1, '1 Active Virtual Users configured');
INSERT INTO JOBTIMING VALUES
    ('A', 2, 'NEWORD', 6000, 0.6, 4.0, 80.0, 24000, 9.0, 7.0, 3.0, 3000, 50.0, 0, 180000),
    ('A', 3, 'NEWORD', 6100, 0.5, 4.2, 91.0, 25620, 9.5, 7.5, 3.1, 3100, 50.0, 0, 180000),
    ('A', 1, 'NEWORD', 24100, 0.5, 4.1, 91.0, 98810, 9.25, 7.25, 3.05, 3050, 50.0, 1, 180000),
    ('A', 1, 'SLEV', 2400, 0.4, 1.5, 30.0, 3600, 5.5, 4.5, 1.25, 900, 2.0, 1, 180000),
    ('B', 2, 'NEWORD', 9000, 0.6, 5.0, 99.0, 45000, 12.0, 9.0, 4.0, 3000, 50.0, 0, 180000);
INSERT INTO JOBTCOUNT VALUES
    ('A', 0, 'tpm', '2026-01-31 10:00:00'), ('A', 6000, 'tpm', '2026-01-31 10:00:30'), ('A', 24000, 'tpm', '2026-01-31 10:01:00'),
    ('A', 27000, 'tpm', '2026-01-31 10:02:00'), ('A', 28800, 'tpm', '2026-01-31 10:03:00'),
    ('D', 0, 'qph', '2026-01-31 13:00:00'), ('D', 360, 'qph', '2026-01-31 13:00:10'), ('D', 720, 'qph', '2026-01-31 13:00:20');
