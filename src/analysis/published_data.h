/* data/published.csv, compiled in (made by the build). */
#ifndef ANALYSIS_PUBLISHED_DATA_H
#define ANALYSIS_PUBLISHED_DATA_H

extern const char published_data[];

#endif
